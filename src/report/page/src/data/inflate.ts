/** Bytes of a base64 text.  A line of the block at a time would do as well; atob takes any length. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
    const binary = atob(text.trim());
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

/** What zlib deflated, by the browser's own means. */
export async function inflate(deflated: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
    const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).arrayBuffer();
}
