/** The answer of the second build: bits that agree, and the first line that differs with its digits marked. */

import { useMemo } from "preact/hooks";
import type { FirstDifference, ReproductionFacts } from "../../logic/contract";
import { MANTISSA_BITS, type Piece, agreeingBits, differingDigits } from "../../logic/digits";
import { printable } from "../../logic/names";
import { answerNotes, comparedTone, comparedWords } from "../../logic/reproduction";
import { Panel } from "../parts/Panel";

export function ChangedDigits({ found }: { found: ReproductionFacts }) {
    const { answer } = found;
    const bits = answer.verdict === "same" ? undefined : agreeingBits(answer.significant_bits);
    return (
        <Panel title="Answer of the second build">
            <p class={comparedTone(answer)}>{comparedWords(answer)}</p>
            {bits !== undefined && <BitBar bits={bits} />}
            {answer.first_difference !== undefined && <Lines first={answer.first_difference} />}
            {answerNotes(found).map((note) => (
                <p key={note} class="dim">{note}</p>
            ))}
        </Panel>
    );
}

/** As many cells as a double has bits; those that agree are full. */
function BitBar({ bits }: { bits: number }) {
    const agree = Math.min(bits, MANTISSA_BITS);
    const cells = Array.from({ length: MANTISSA_BITS }, (_, at) => at);
    return (
        <div class="bit-bar">
            <svg viewBox={`0 0 ${MANTISSA_BITS * 4} 8`} preserveAspectRatio="none" role="img" aria-label={`${agree} of ${MANTISSA_BITS} bits of a number in double precision agree`}>
                {cells.map((at) => (
                    <rect key={at} class={at < agree ? "agrees" : "differs"} x={at * 4 + 0.5} y={0.5} width={3} height={7} />
                ))}
            </svg>
            <span class="dim" aria-hidden="true">{agree} of {MANTISSA_BITS} bits</span>
        </div>
    );
}

/** Both lines under each other, so that digits compare at a glance. */
function Lines({ first }: { first: FirstDifference }) {
    const { expected, found } = useMemo(() => differingDigits(first.expected, first.found), [first]);
    return (
        <figure class="digits">
            <figcaption class="dim">First difference: {printable(first.output)}, line {first.line}</figcaption>
            {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls must be reachable by keyboard */}
            <div class="digit-lines" tabIndex={0} role="group" aria-label="Both lines">
                <span class="dim">first</span>
                <code><Pieces pieces={expected} /></code>
                <span class="dim">second</span>
                <code><Pieces pieces={found} /></code>
            </div>
        </figure>
    );
}

function Pieces({ pieces }: { pieces: readonly Piece[] }) {
    return <>{pieces.map(({ text, differs }, at) => (differs ? <mark key={at}>{text}</mark> : text))}</>;
}
