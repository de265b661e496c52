import type { Example } from "../../logic/contract";
import type { Language } from "../../logic/code/highlight";
import { Highlighted } from "../parts/Highlighted";
import { How } from "./Value";

const LANGUAGES: Record<string, Language> = { C: "c", "C++": "cpp", Fortran: "fortran", Rust: "rust" };

/** Code that a compiler rejects for a reason, and what mends it. */
export function Example({ example, title }: { example: Example; title: string }) {
    const { language, before, after, flags } = example;
    const known = LANGUAGES[language];
    return (
        <>
            <h3>
                Example in {language} <How words="not your code" />
            </h3>
            <div class="side-by-side">
                <figure>
                    <figcaption>As written</figcaption>
                    <Highlighted text={before} language={known} label={`${title}: ${language}, as written`} />
                </figure>
                {after !== undefined && (
                    <figure>
                        <figcaption>Mended</figcaption>
                        <Highlighted text={after} language={known} label={`${title}: ${language}, mended`} />
                    </figure>
                )}
            </div>
            {flags !== undefined && flags !== "" && (
                <p>
                    Flags that mend it: <code>{flags}</code>
                </p>
            )}
        </>
    );
}
