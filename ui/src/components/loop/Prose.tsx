/** Sentences of loopwright itself: paragraphs at empty lines, code between backticks. */
export function Prose({ text }: { text: string }) {
    return (
        <>
            {text.split(/\n\s*\n/).map((paragraph, at) => (
                <p key={at}>
                    <Sentence text={paragraph} />
                </p>
            ))}
        </>
    );
}

/** The same within a line. */
export function Sentence({ text }: { text: string }) {
    const parts = text.split("`");
    // An odd number of backticks: the last one is meant as it stands.
    const paired = parts.length % 2 === 1;
    return <>{parts.map((part, at) => (at % 2 === 1 && (paired || at + 1 < parts.length) ? <code key={at}>{part}</code> : at % 2 === 1 ? `\`${part}` : part))}</>;
}
