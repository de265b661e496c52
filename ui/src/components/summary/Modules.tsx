import type { ModuleSummary } from "../../logic/contract";
import { count, time } from "../../logic/quantity";
import { Fold } from "../parts/Fold";
import { Name } from "../parts/Name";
import { Panel } from "../parts/Panel";
import { ShareBar } from "../parts/ShareBar";
import { TableRegion } from "../parts/TableRegion";

/** A library with less of the time is one of many that were only loaded. */
const NOTICEABLE = 0.001;

/** The program and its libraries: time, and what is known of how they were built. */
export function Modules({ modules }: { modules: ModuleSummary[] }) {
    if (modules.length === 0) return null;
    const timed = modules.filter((each) => each.main_module || each.self_share >= NOTICEABLE);
    const rest = modules.filter((each) => !timed.includes(each));
    return (
        <Panel title="Modules">
            <Table label="Modules" modules={timed} />
            {rest.length > 0 && (
                <Fold title={`${count(rest.length)} more with hardly any time`}>
                    <Table label="Modules with hardly any time" modules={rest} />
                </Fold>
            )}
        </Panel>
    );
}

function Table({ label, modules }: { label: string; modules: readonly ModuleSummary[] }) {
    return (
        <TableRegion label={label}>
            <table class="modules">
                <thead>
                    <tr>
                        <th scope="col">Self</th>
                        <th scope="col" class="number">Time</th>
                        <th scope="col">Module</th>
                        <th scope="col">Symbols</th>
                        <th scope="col">Lines</th>
                        <th scope="col">Compiler</th>
                        <th scope="col">Build id</th>
                    </tr>
                </thead>
                <tbody>
                    {modules.map((each) => (
                        <Row key={each.path} module={each} />
                    ))}
                </tbody>
            </table>
        </TableRegion>
    );
}

function Row({ module }: { module: ModuleSummary }) {
    const known = (yes: boolean) => (yes ? "yes" : <span class="caution">no</span>);
    const [producer, ...others] = module.producers ?? [];
    return (
        <tr data-module={module.path}>
            <td data-key="self_share">
                <ShareBar value={module.self_share} kind={module.main_module ? "outside" : "library"} />
            </td>
            <td class="number" data-key="self_seconds">
                {time(module.self_seconds)}
            </td>
            <th scope="row">
                <Name text={module.path} longest={70} />
                {module.main_module && <span class="dim"> the program</span>}
            </th>
            <td>{known(module.has_symbols)}</td>
            <td>{known(module.has_lines)}</td>
            <td class="dim">
                {producer !== undefined && <Name text={producer} longest={90} />}
                {others.length > 0 && ` and ${others.length} more`}
            </td>
            <td class="dim">{module.build_id !== undefined && <Name text={module.build_id} longest={16} />}</td>
        </tr>
    );
}
