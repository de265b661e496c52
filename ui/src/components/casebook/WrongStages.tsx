import { ladderName, type Step } from "../../logic/casebook/cases";
import { caseAddress } from "../../logic/casebook/route";
import { Name } from "../parts/Name";
import { Panel } from "../parts/Panel";
import { Prose } from "../parts/Prose";

/** Stages that were not built, failed, or compute something else: nothing else counts as much. */
export function WrongStages({ wrong }: { wrong: readonly Step[] }) {
    return (
        <Panel title="Stages that are wrong" kind="wrong-stages">
            <ul>
                {wrong.map(({ record, ladder, stage, path }) => (
                    <li key={path} data-stage={path}>
                        <a href={caseAddress(record.case, stage.name)}>
                            <Name text={`${record.case}, ${stage.name}`} longest={80} />
                        </a>{" "}
                        ({ladderName(ladder)}): <span data-key="wrong"><Prose text={stage.wrong ?? ""} /></span>
                    </li>
                ))}
            </ul>
        </Panel>
    );
}
