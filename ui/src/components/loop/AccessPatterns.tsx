/** How the loop moves through memory: each access as written with its stride, its cost, and a picture. */

import { around, distribution, kind, lineOf, operand, ordered } from "../../logic/loop-page/access-words";
import { map } from "../../logic/loop-page/commands";
import { count, counted, share } from "../../logic/quantity";
import { AccessCard } from "./AccessCard";
import { AccessTable } from "./AccessTable";
import { Bars } from "./Bars";
import { Fold } from "../parts/Fold";
import type { PartProps } from "./LoopPage";
import { NotTraced } from "./NotTraced";
import { Section } from "./Section";
import { StaticStrides } from "./StaticStrides";

/** Accesses whose pictures are drawn at once; the others when they are opened. */
const OPEN = 1;
/** A table of at most this number of accesses is short. */
const FEW = 4;
/** Accesses in all. */
const MOST = 60;

export function AccessPatterns({ report, loop }: PartProps) {
    const all = ordered(loop);
    const { tracing, machine } = report.analysis;
    if (all.length === 0) {
        return (
            <Section at="access" loop={loop}>
                <NotTraced report={report} loop={loop} looked={tracing?.strides === true} command={map(report.analysis, loop.id)} />
                <StaticStrides loop={loop} />
            </Section>
        );
    }
    const extent = tracing?.exhaustive === true ? "Counted over everything that the loop executed." : "Counted over bursts of what the loop executed.";
    const line = machine?.line_bytes ?? 64;
    // Pictures of what costs most come first: accesses that do not use whole lines.
    const drawn = all.slice(0, MOST).filter(({ access }) => access.frame !== true);
    const costly = (pattern: string): number => ["variable", "constant", "unit", "uniform"].indexOf(pattern);
    const pictures = [...drawn].sort((a, b) => costly(a.access.pattern) - costly(b.access.pattern));
    return (
        <Section at="access" loop={loop} how={`${extent} Strides are those of the loop as written.`}>
            <Bars label="Executions by kind of stride" bars={distribution(loop.access ?? []).map((each) => ({ name: each.name, share: each.share, text: share(each.share), key: `access.${each.key}_share` }))} />
            <Fold title={`${counted(Math.min(all.length, MOST), "access", "accesses")} in numbers`} open={all.length <= FEW}>
                <AccessTable loop={loop} rows={all.slice(0, MOST)} />
            </Fold>
            {all.length > MOST && <p class="dim">{counted(all.length - MOST, "more access is", "more accesses are")} in the JSON.</p>}
            <h3>Strides and cache lines</h3>
            <p class="dim">
                Boxes are cache lines of {count(line)} bytes, filled where successive iterations of the loop as written touch them (numbered from 0), hatched where they do not. The first
                access of an array is drawn as if it began a line.
            </p>
            {pictures.map(({ access, at }, place) => (
                <AccessCard
                    key={at}
                    access={access}
                    at={at}
                    line={line}
                    open={place < OPEN}
                    name={operand(access)}
                    where={lineOf(loop, access.file, access.line)}
                    kind={kind(access)}
                    outer={around(access)}
                />
            ))}
        </Section>
    );
}
