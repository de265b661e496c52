import { Prose } from "./Prose";

/** Longer texts of loopwright itself: paragraphs at empty lines. */
export function Paragraphs({ text }: { text: string }) {
    return (
        <>
            {text.split(/\n\s*\n/).map((paragraph, at) => (
                <p key={at}>
                    <Prose text={paragraph.replace(/\s*\n\s*/g, " ")} />
                </p>
            ))}
        </>
    );
}
