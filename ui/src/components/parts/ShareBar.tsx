import { share } from "../../logic/quantity";

/** A share of the time: its number, and a bar beside it, so that the bar's end never crosses a digit. */
export function ShareBar({ value, text = share(value), kind = "outside" }: { value: number; text?: string; kind?: string }) {
    return (
        <span class={`share-bar ${kind}`}>
            <span class="number">{text}</span>
            <span class="track" aria-hidden="true">
                {value > 0 && <span class="fill" style={{ width: `${Math.min(Math.max(value, 0), 1) * 100}%` }} />}
            </span>
        </span>
    );
}
