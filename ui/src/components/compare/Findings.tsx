/** What `loopwright check` says of the two states. */

import { severityBadge } from "../../logic/compare";
import type { Finding } from "../../logic/contract";
import { printable } from "../../logic/names";
import { count } from "../../logic/quantity";
import type { Route } from "../../logic/route";
import { changeQuery } from "../parts/location";
import { Panel } from "../parts/Panel";
import { Prose } from "../parts/Prose";
import { usePrinting } from "../parts/usePrinting";
import { Badge } from "../parts/Badge";
import { ChangeLink } from "./ChangeLink";

/** The first that are shown: more would push the loops out of sight. */
const FIRST = 8;

/** The gravest first. */
export function Findings({ findings, route }: { findings: readonly Finding[]; route: Route }) {
    const printing = usePrinting();
    const all = route.query.get("findings") === "all";
    const shown = all || printing || findings.length <= FIRST + 1 ? findings : findings.slice(0, FIRST);
    return (
        <Panel title="Findings" note={<Prose text="What `loopwright check` says of these states." />}>
            {findings.length === 0 ? (
                <p>Nothing got worse, and nothing else is worth a word.</p>
            ) : (
                <ul class="findings" id="findings">
                    {shown.map((finding, at) => (
                        <li key={at} data-finding={at} data-severity={finding.severity}>
                            <Badge badge={severityBadge(finding.severity)} />{" "}
                            {finding.index === undefined ? printable(finding.text) : <ChangeLink index={finding.index} route={route}>{printable(finding.text)}</ChangeLink>}
                        </li>
                    ))}
                </ul>
            )}
            {findings.length > FIRST + 1 && (
                <button type="button" class="compare-more" aria-expanded={all} onClick={() => changeQuery(route, { findings: all ? undefined : "all" })}>
                    {all ? "Show the gravest only" : `Show all ${count(findings.length)} findings`}
                </button>
            )}
        </Panel>
    );
}
