/** A few lines of code; scrolls within itself when they are wide. */
export function Snippet({ text, label }: { text: string; label: string; language?: string }) {
    return (
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable by keyboard
        <pre class="snippet" tabIndex={0} role="region" aria-label={label}>
            <code>{text}</code>
        </pre>
    );
}
