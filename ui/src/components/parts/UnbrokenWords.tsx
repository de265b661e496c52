/** Options on several lines: browsers break them at hyphens, where they would read as two. */
export function UnbrokenWords({ text }: { text: string }) {
    return (
        <>
            {text.split(" ").map((word, at) => (
                <>
                    {at > 0 && " "}
                    <span key={at} class="unbroken">{word}</span>
                </>
            ))}
        </>
    );
}
