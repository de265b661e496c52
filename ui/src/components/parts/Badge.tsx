import type { Badge as Words } from "../../logic/compare";

/** A verdict in a word, a sign and a colour, which all say the same. */
export function Badge({ badge: { word, sign, tone }, name }: { badge: Words; name?: string }) {
    return (
        <span class={`badge ${tone}`} data-key={name}>
            <span aria-hidden="true">{sign}</span> {word}
        </span>
    );
}
