import { Fragment } from "preact";
import type { AdvisedPlace, LoopFacts, Recommendation } from "../../logic/contract";
import { firstEvidence } from "../../logic/advice";
import { functionName } from "../../logic/names";
import { counted, gain, share } from "../../logic/quantity";
import { address } from "../../logic/route";
import { GainText } from "../parts/GainText";
import { Name } from "../parts/Name";
import { Prose } from "../parts/Prose";
import { Sureness } from "../parts/Sureness";
import { TriedLine } from "../parts/TriedLine";

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

/** Loops that a card names. */
const NAMED = 4;

/** Links to the loops of a change that is about several. */
function Places({ places }: { places: AdvisedPlace[] }) {
    const more = places.length - NAMED;
    return (
        <>
            {places.slice(0, NAMED).map((each, at) => (
                <Fragment key={`${each.change} ${each.loop_id ?? at}`}>
                    {at > 0 && "; "}
                    <a href={each.loop_id === undefined ? undefined : address("loop", each.loop_id)}>
                        {each.function !== undefined && <Name text={each.function} longest={50} symbol />}
                        {each.function !== undefined && each.place !== undefined && ", "}
                        {each.place !== undefined && <Name text={each.place} longest={50} />}
                    </a>
                </Fragment>
            ))}
            {more > 0 && `; ${more} more`}
        </>
    );
}

/** A recommendation in a few lines; `others` are further ones for the same place. */
export function AdviceCard({ advice, loop, others = [] }: { advice: Recommendation; loop: LoopFacts | undefined; others?: Recommendation[] }) {
    const { program_gain: program, loop_gain: there, share: part, places = [] } = advice;
    return (
        <li class="advice" data-recommendation={advice.id} data-loop={advice.loop_id}>
            <div class="head">
                <h3>
                    <Prose text={advice.title} />
                </h3>
                <p class="gain">
                    {program !== undefined && (
                        <span>
                            program{" "}
                            <strong>
                                <GainText gain={program} likely={advice.program_gain_likely} at="program_gain" />
                            </strong>
                        </span>
                    )}
                    <Sureness confidence={advice.confidence} />
                </p>
            </div>
            <ul class="where">
                {places.length > 1 ? (
                    <li>
                        {counted(places.length, "loop", "loops")}: <Places places={places} />
                    </li>
                ) : (
                    (advice.function ?? advice.place) !== undefined && (
                        <li>
                            <Place advice={advice} loop={loop} />
                        </li>
                    )
                )}
                {part !== undefined && (
                    <li>
                        <span data-key="share">{share(part)}</span> of the time
                    </li>
                )}
                {there !== undefined && (
                    <li>
                        <GainText gain={there} likely={advice.loop_gain_likely} at="loop_gain" /> there
                    </li>
                )}
            </ul>
            {advice.tried !== undefined && <TriedLine tried={advice.tried} />}
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
                    {other.loop_gain !== undefined && ` (${gain(other.loop_gain, other.loop_gain_likely)} there)`}
                </span>
            ))}
            {rest > 0 && `; ${rest} more`}
        </>
    );
}
