import { fromStage, ladderName, type Missed } from "../../logic/casebook/cases";
import { caseAddress } from "../../logic/casebook/route";
import { interval, MISSES } from "../../logic/casebook/words";
import { ratio, ratioRange } from "../../logic/quantity";
import { Name } from "../parts/Name";
import { Panel } from "../parts/Panel";
import { TableRegion } from "../parts/TableRegion";

/** Every rung whose advice was missing, late or wrong about the gain. */
export function Misses({ misses }: { misses: readonly Missed[] }) {
    return (
        <Panel title="Where the advice was wrong">
            <TableRegion label="Where the advice was wrong">
                <table class="stacked">
                    <thead>
                        <tr>
                            <th scope="col">Stage</th>
                            <th scope="col">Compiler</th>
                            <th scope="col">What was wrong</th>
                            <th scope="col">Expected</th>
                            <th scope="col" class="number">Place</th>
                            <th scope="col" class="number">Predicted</th>
                            <th scope="col" class="number">Program</th>
                        </tr>
                    </thead>
                    <tbody>
                        {misses.map((each) => (
                            <MissRow key={each.path} missed={each} />
                        ))}
                    </tbody>
                </table>
            </TableRegion>
        </Panel>
    );
}

function MissRow({ missed: { record, ladder, stage, path, misses } }: { missed: Missed }) {
    const { rung, measured, expected = [] } = stage;
    return (
        <tr data-stage={path}>
            <th scope="row">
                <a href={caseAddress(record.case, stage.name)}>
                    <Name text={stage.title} longest={80} />
                </a>
                <div class="dim">
                    <Name text={`${record.case}: ${fromStage(ladder, stage)?.name ?? ""} → ${stage.name}`} longest={80} />
                </div>
            </th>
            <td data-label="compiler">{ladderName(ladder)}</td>
            <td data-label="wrong">
                {misses.map((miss) => MISSES[miss]).join("; ")}
                {stage.miss !== undefined && (
                    <div class="dim" data-key="miss">
                        {stage.miss}
                    </div>
                )}
            </td>
            <td data-label="expected">
                <code>{rung?.id ?? expected.join(" or ")}</code>
            </td>
            <td class="number" data-label="place">{rung?.rank !== undefined && <span data-key="rung.rank">{rung.rank}</span>}</td>
            <td class="number" data-label="predicted">{rung?.predicted !== undefined && <span data-key="rung.predicted">{ratioRange(rung.predicted)}</span>}</td>
            <td class="number" data-label="program">
                {measured?.program_gain !== undefined && (
                    <>
                        <span data-key="measured.program_gain.median">{ratio(measured.program_gain.median)}</span>
                        <div class="dim" data-key="measured.program_gain.interval">{interval(measured.program_gain)}</div>
                    </>
                )}
            </td>
        </tr>
    );
}
