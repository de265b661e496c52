import type { LeftAloneFacts as Entry } from "../../logic/contract";
import { time } from "../../logic/quantity";
import { Name } from "../parts/Name";
import { TableRegion } from "../parts/TableRegion";
import { usePrinting } from "../parts/usePrinting";

/** Entries listed; the JSON has them all. */
const MOST = 200;

/** Code that ran uncounted, and why. */
export function LeftAlone({ summary, entries }: { summary: string; entries: Entry[] }) {
    const printing = usePrinting();
    return (
        <details open={printing || undefined}>
            <summary>{summary}</summary>
            <TableRegion label="Code that was not counted">
                <table>
                    <thead>
                        <tr>
                            <th scope="col">Code</th>
                            <th scope="col">Why</th>
                            <th scope="col" class="number">Self</th>
                        </tr>
                    </thead>
                    <tbody>
                        {entries.slice(0, MOST).map((each) => (
                            <tr key={`${each.module} ${each.address} ${each.loop_id ?? ""}`}>
                                <th scope="row">
                                    <Name text={each.function} longest={50} /> <span class="place">{each.place ?? each.address}</span>
                                </th>
                                <td>{each.reason}</td>
                                <td class="number">{each.self_seconds !== undefined && each.self_seconds > 0 ? time(each.self_seconds) : ""}</td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </TableRegion>
            {entries.length > MOST && <p class="dim">{entries.length - MOST} more: loopwright show --json</p>}
        </details>
    );
}
