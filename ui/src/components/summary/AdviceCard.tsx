import type { LoopFacts, Recommendation } from "../../logic/contract";
import { firstEvidence } from "../../logic/advice";
import { functionName } from "../../logic/names";
import { ratioRange, share } from "../../logic/quantity";
import { address } from "../../logic/route";
import { Name } from "../parts/Name";
import { Prose } from "../parts/Prose";
import { Sureness } from "../parts/Sureness";

/** Where a recommendation applies: a link where it is a loop. */
function Place({ advice, loop }: { advice: Recommendation; loop: LoopFacts | undefined }) {
    const name = (
        <>
            {advice.function !== undefined && <Name text={functionName(advice)} longest={50} symbol />}
            {advice.function !== undefined && advice.place !== undefined && ", "}
            {advice.place !== undefined && <Name text={advice.place} longest={50} />}
        </>
    );
    if (loop === undefined) return name;
    return (
        <a href={address("loop", loop.id)}>
            {name}, loop {loop.id}
        </a>
    );
}

/** A recommendation in a few lines; `others` are further ones for the same place. */
export function AdviceCard({ advice, loop, others = [] }: { advice: Recommendation; loop: LoopFacts | undefined; others?: Recommendation[] }) {
    const { program_gain: program, loop_gain: there, share: part } = advice;
    return (
        <li class="advice" data-recommendation={advice.id} data-loop={advice.loop_id}>
            <div class="head">
                <h3>
                    <Prose text={advice.title} />
                </h3>
                <p class="gain">
                    {program !== undefined && (
                        <span>
                            program <strong data-key="program_gain">{ratioRange(program)}</strong>
                        </span>
                    )}
                    <Sureness confidence={advice.confidence} />
                </p>
            </div>
            <ul class="where">
                {(advice.function ?? advice.place) !== undefined && (
                    <li>
                        <Place advice={advice} loop={loop} />
                    </li>
                )}
                {part !== undefined && (
                    <li>
                        <span data-key="share">{share(part)}</span> of the time
                    </li>
                )}
                {there !== undefined && (
                    <li>
                        <span data-key="loop_gain">{ratioRange(there)}</span> faster there
                    </li>
                )}
            </ul>
            {firstEvidence(advice).map((fact) => (
                <p key={fact} class="dim">
                    <Prose text={fact} />
                </p>
            ))}
            {others.length > 0 && (
                <p class="dim">
                    also: <Others others={others} />
                </p>
            )}
        </li>
    );
}

/** Titles of further remedies for the same loop; they are alternatives or add to the first, so that their gains do not add up. */
function Others({ others }: { others: Recommendation[] }) {
    const named = others.slice(0, 1);
    const rest = others.length - named.length;
    return (
        <>
            {named.map((other) => (
                <span key={other.id}>
                    <Prose text={other.title} />
                    {other.loop_gain !== undefined && ` (${ratioRange(other.loop_gain)} there)`}
                </span>
            ))}
            {rest > 0 && `; ${rest} more`}
        </>
    );
}
