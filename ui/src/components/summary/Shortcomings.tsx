import type { Missing } from "../../logic/contract";
import { Absent } from "../parts/Absent";
import { Panel } from "../parts/Panel";
import { Prose } from "../parts/Prose";

/** What is not known, and how to learn it. */
export function FullerPicture({ missing }: { missing: Missing[] }) {
    if (missing.length === 0) return null;
    return (
        <Panel title="For a fuller picture">
            <ul class="missing">
                {missing.map(({ what, why, command }) => (
                    <li key={what}>
                        <Absent command={command}>
                            <strong>{what}</strong>: <Prose text={why} />
                        </Absent>
                    </li>
                ))}
            </ul>
        </Panel>
    );
}

/** What limits the results. */
export function Warnings({ warnings }: { warnings: string[] }) {
    if (warnings.length === 0) return null;
    return (
        <Panel title="Warnings">
            <ul class="warnings" data-key="warnings">
                {warnings.map((warning) => (
                    <li key={warning}>
                        <Prose text={warning} />
                    </li>
                ))}
            </ul>
        </Panel>
    );
}
