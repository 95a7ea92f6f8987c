export function Apology({ text }: { text: string }) {
    return (
        <main class="alone">
            <h1>Whyslow</h1>
            <p role="alert">{text}</p>
        </main>
    );
}
