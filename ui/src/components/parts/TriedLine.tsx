import type { Tried } from "../../logic/contract";
import { TRIED_TONES } from "../../logic/contract/words";
import { address } from "../../logic/route";
import { triedWords } from "../../logic/trials";

/** What a trial of a recommendation showed; leads to all trials. */
export function TriedLine({ tried }: { tried: Tried }) {
    return (
        <p class={`tried ${TRIED_TONES[tried.outcome]}`}>
            <a href={address("trials")}>tried</a>: {triedWords(tried)}
        </p>
    );
}
