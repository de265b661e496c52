import { share } from "../../logic/quantity";

/** A share of the time as a bar behind its number. */
export function ShareBar({ value, kind = "outside" }: { value: number; kind?: string }) {
    return (
        <span class={`share-bar ${kind}`}>
            {value > 0 && <span class="fill" style={{ width: `${Math.min(Math.max(value, 0), 1) * 100}%` }} />}
            <span class="number">{share(value)}</span>
        </span>
    );
}
