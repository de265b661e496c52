import type { LoopFacts } from "../../logic/contract";
import { functionName, place } from "../../logic/names";
import { address } from "../../logic/route";
import { Name } from "./Name";

/** A loop's function and place, leading to its page. */
export function LoopLink({ loop, longest = 60 }: { loop: LoopFacts; longest?: number }) {
    return (
        <a class="loop-link" href={address("loop", loop.id)}>
            <Name text={functionName(loop)} longest={longest} symbol /> <span class="place"><Name text={place(loop)} longest={longest} /></span>
        </a>
    );
}
