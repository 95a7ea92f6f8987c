/** Names come from the program: any bytes.  They are only ever set as text; here they are made legible. */

// What would steer the text around it or is invisible: control characters, marks of direction, zero widths.
// eslint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

export function visible(text: string): string {
    return text.replace(UNSEEN, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).replace(/[\t\n]/g, " ");
}

/** At most `most` characters, the middle left out: a long name's end tells as much as its beginning. */
export function shortened(text: string, most: number): string {
    const whole = Array.from(text.length > 4 * most ? text.slice(0, 2 * most) + text.slice(-2 * most) : text);
    if (whole.length <= most) return text;
    const head = Math.ceil((most - 1) * 0.6);
    return `${whole.slice(0, head).join("")}…${whole.slice(whole.length - (most - 1 - head)).join("")}`;
}

export function baseName(path: string): string {
    return path.slice(path.lastIndexOf("/") + 1);
}
