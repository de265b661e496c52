/** One small drawing for each resource: the time of an iteration over the number of injected operations. */

import { BUSY } from "../../logic/bottleneck-words";
import type { Bottleneck, ResourceFacts } from "../../logic/contract";
import { RESOURCES } from "../../logic/contract/words";
import { type Line, byBusy, drawing, highest } from "../../logic/loop-page/curves";
import { count, mean, ratio, ratioRange, share } from "../../logic/quantity";
import { Fold } from "../parts/Fold";
import { TableRegion } from "../parts/TableRegion";

const percent = (part: number): string => `${(part * 100).toFixed(2)}%`;
const down = (part: number): string => percent(1 - part);

/** `12`, `>13` where all that were tried were absorbed. */
function absorbed({ room, room_is_bound: bound }: ResourceFacts): string {
    return `${bound === true ? ">" : ""}${mean(room)}`;
}

export function Curves({ known }: { known: Bottleneck }) {
    const resources = byBusy(known.resources);
    if (resources.length === 0) return null;
    const top = highest(resources);
    return (
        <figure class="curves">
            <figcaption>
                <h3>How an iteration bears injected operations</h3>
                <ul class="legend" aria-label="Signs of the drawings">
                    <li><Sign><line class="curve" x1="0" x2="100%" y1="50%" y2="50%" /><line class="whisker" x1="50%" x2="50%" y1="15%" y2="85%" /><circle class="point" cx="50%" cy="50%" r={3} /></Sign> time of an iteration, as a multiple of the plain one, with its 95 % interval</li>
                    <li><Sign><rect class="room" x={0} y={0} width="100%" height="100%" /></Sign> operations that it absorbs</li>
                    <li><Sign><line class="own" x1="0" x2="100%" y1="90%" y2="10%" /></Sign> operations one after the other: begins at the share that the loop keeps busy</li>
                </ul>
            </figcaption>
            <div class="curve-grid">
                {resources.map((resource) => (
                    <Small key={resource.resource} resource={resource} top={top} />
                ))}
            </div>
            <Fold title={`All ${resources.length} as a table`}>
                <InNumbers known={known} resources={resources} />
            </Fold>
        </figure>
    );
}

function Sign({ children }: { children: preact.ComponentChildren }) {
    return (
        <svg class="curve-sign" aria-hidden="true" width={26} height={14}>
            {children}
        </svg>
    );
}

/** What a drawing shows, for who cannot see it; the table has every number. */
function words(resource: ResourceFacts): string {
    const last = resource.curve.at(-1);
    const parts = [`${RESOURCES[resource.resource]}: ${resource.busy === undefined ? "share not known" : `${share(resource.busy)} busy`}`, `absorbs ${absorbed(resource)}`];
    if (last !== undefined) parts.push(`with ${count(last.operations)} operations an iteration takes ${ratio(last.ratio)}`);
    return parts.join(", ");
}

function Small({ resource, top }: { resource: ResourceFacts; top: number }) {
    const drawn = drawing(resource, top);
    const { busy } = resource;
    const multiples = Array.from({ length: Math.floor(top) }, (_, at) => at + 1);
    return (
        <div class={`curve-card ${busy !== undefined && busy >= BUSY ? "busy" : ""}`} data-resource={resource.resource}>
            <p class="curve-name">{RESOURCES[resource.resource]}</p>
            <p class="curve-room dim">
                {busy !== undefined && <><strong>{share(busy)}</strong> busy, </>}absorbs {absorbed(resource)}
            </p>
            <div class="curve-plot" role="img" aria-label={words(resource)}>
                {multiples.map((each) => (
                    <span key={each} class="curve-tick" style={{ top: down(each / top) }}>
                        {each}×
                    </span>
                ))}
                <svg aria-hidden="true">
                    <rect class="room" x={0} width={percent(drawn.room)} y={0} height="100%" />
                    {multiples.map((each) => (
                        <line key={each} class={each === 1 ? "plain" : "grid"} x1={0} x2="100%" y1={down(each / top)} y2={down(each / top)} />
                    ))}
                    {drawn.own !== undefined && <Stroke kind="own" line={drawn.own} />}
                    {drawn.own !== undefined && <circle class="own-share" cx={percent(drawn.own.from.x)} cy={down(drawn.own.from.y)} r={3.5} />}
                    {drawn.curve.map((line, at) => (
                        <Stroke key={at} kind="curve" line={line} />
                    ))}
                    {drawn.marks.map((mark) => (
                        <g key={mark.x}>
                            <line class="whisker" x1={percent(mark.x)} x2={percent(mark.x)} y1={down(mark.low)} y2={down(mark.high)} />
                            <circle class="point" cx={percent(mark.x)} cy={down(mark.y)} r={3} />
                        </g>
                    ))}
                </svg>
                {drawn.beyond !== undefined && (
                    <span class={`curve-beyond ${drawn.beyond.x > 0.55 ? "before" : ""}`} style={{ left: percent(drawn.beyond.x) }}>
                        {ratio(drawn.beyond.ratio)} at {count(drawn.beyond.operations)}
                    </span>
                )}
                <span class="curve-from">0</span>
                <span class="curve-to">{count(drawn.most)}</span>
            </div>
        </div>
    );
}

function Stroke({ kind, line: { from, to } }: { kind: string; line: Line }) {
    return <line class={kind} x1={percent(from.x)} y1={down(from.y)} x2={percent(to.x)} y2={down(to.y)} />;
}

function InNumbers({ known, resources }: { known: Bottleneck; resources: ResourceFacts[] }) {
    return (
        <TableRegion label="Time of an iteration with injected operations">
            <table class="curve-table">
                <thead>
                    <tr>
                        <th scope="col">Resource</th>
                        <th scope="col" class="number">Busy</th>
                        <th scope="col" class="number">Absorbs</th>
                        <th scope="col">Time of an iteration with operations, and its 95 % interval</th>
                    </tr>
                </thead>
                <tbody>
                    {resources.map((resource) => {
                        const at = `bottleneck.resources.${known.resources.indexOf(resource)}`;
                        return (
                            <tr key={resource.resource}>
                                <th scope="row">{RESOURCES[resource.resource]}</th>
                                <td class="number" data-key={resource.busy === undefined ? undefined : `${at}.busy`}>
                                    {resource.busy === undefined ? "" : share(resource.busy)}
                                </td>
                                <td class="number" data-key={`${at}.room`}>
                                    {absorbed(resource)}
                                </td>
                                <td>
                                    <ul class="curve-points">
                                        {resource.curve.map((point) => (
                                            <li key={point.operations}>
                                                +{count(point.operations)}: {ratio(point.ratio)} <span class="dim">({ratioRange([point.low, point.high])})</span>
                                            </li>
                                        ))}
                                    </ul>
                                </td>
                            </tr>
                        );
                    })}
                </tbody>
            </table>
        </TableRegion>
    );
}
