import { heat } from "../../logic/code/source";
import { percent } from "../../logic/quantity";

/** A row's share of the program's time: the number, and a bar as long as it is of the hottest row. Nothing when it was not sampled. */
export function Share({ value, most, name }: { value: number; most: number; name: string }) {
    return (
        <span class={`code-share ${heat(value)}`} role="gridcell">
            {value > 0 && (
                <>
                    <span class="fill" style={{ width: `${most > 0 ? (value / most) * 100 : 0}%` }} />
                    <span class="number" data-key={name}>
                        {percent(value)}
                    </span>
                </>
            )}
        </span>
    );
}
