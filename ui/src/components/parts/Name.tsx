import { elided, elidedFunction, printable } from "../../logic/names";

/** A name from a binary as text, elided when long, with the whole of it as its title. */
export function Name({ text, longest = 80, symbol = false }: {
    text: string;
    longest?: number;
    /** It is a function's: its parameters go first. */
    symbol?: boolean;
}) {
    const shown = symbol ? elidedFunction(text, longest) : elided(text, longest);
    const whole = printable(text);
    return (
        <span class="name" title={shown === whole ? undefined : whole.slice(0, 20_000)}>
            {shown}
        </span>
    );
}
