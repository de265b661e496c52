import { elided, printable } from "../../logic/names";

/** A name from a binary as text, elided when long, with the whole of it as its title. */
export function Name({ text, longest = 80 }: { text: string; longest?: number }) {
    const shown = elided(text, longest);
    const whole = printable(text);
    return (
        <span class="name" title={shown === whole ? undefined : whole.slice(0, 20_000)}>
            {shown}
        </span>
    );
}
