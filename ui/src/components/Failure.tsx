/** The page when there is nothing to show: why, and the way out. */
export function Failure({ text }: { text: string }) {
    return (
        <main class="failure" role="alert">
            <h1>loopwright</h1>
            <p>{text}</p>
        </main>
    );
}
