/** The change as code, before and after beside each other, in the language that the reader chooses. */

import { useState } from "preact/hooks";
import type { Recommendation } from "../../logic/contract";
import { Highlighted } from "../parts/Highlighted";

const LANGUAGES = [
    { key: "c", name: "C" },
    { key: "fortran", name: "Fortran" },
] as const;
type Language = (typeof LANGUAGES)[number]["key"];

export function CodeChanges({ advice }: { advice: Recommendation }) {
    const known = LANGUAGES.filter(({ key }) => advice[key] !== undefined);
    const [chosen, choose] = useState<Language | undefined>(known[0]?.key);
    const change = chosen === undefined ? undefined : advice[chosen];
    const name = LANGUAGES.find(({ key }) => key === chosen)?.name;
    if (chosen === undefined || change === undefined || name === undefined) return null;
    return (
        <div class="code-change">
            {known.length > 1 && (
                <div class="choice" role="group" aria-label="Language of the example">
                    {known.map((each) => (
                        <button key={each.key} type="button" aria-pressed={each.key === chosen} onClick={() => choose(each.key)}>
                            {each.name}
                        </button>
                    ))}
                </div>
            )}
            <div class="side-by-side">
                <figure>
                    <figcaption>{name}, before</figcaption>
                    <Highlighted text={change.before} label={`${name}, before: ${advice.title}`} language={chosen} />
                </figure>
                <figure>
                    <figcaption>{name}, after</figcaption>
                    <Highlighted text={change.after} label={`${name}, after: ${advice.title}`} language={chosen} />
                </figure>
            </div>
        </div>
    );
}
