import { useMemo, useRef } from "preact/hooks";
import type { LoopFacts } from "../../logic/contract";
import { counted } from "../../logic/quantity";
import { COLUMNS, type ColumnKey, type Order, tableRows } from "../../logic/roofline/table";
import type { Route } from "../../logic/route";
import { Panel } from "../parts/Panel";
import { TableRegion } from "../parts/TableRegion";
import { changeQuery } from "../parts/location";
import { useVirtualRows } from "../parts/useVirtualRows";
import { LoopRow } from "./LoopRow";

/** Height of a row; `styles/roofline.css` holds to it. */
const ROW_HEIGHT = 36;

const HEADINGS: Record<ColumnKey, { title: string; number: boolean }> = {
    id: { title: "Loop", number: true },
    self: { title: "Self %", number: true },
    name: { title: "Function and place", number: false },
    kind: { title: "Work", number: false },
    intensity: { title: "Per byte", number: true },
    achieved: { title: "Achieved", number: true },
    bandwidth: { title: "GB/s", number: true },
    bound: { title: "Bound by", number: false },
    ceiling: { title: "Ceiling", number: true },
    headroom: { title: "Headroom", number: true },
    cores: { title: "Cores", number: true },
};

function orderOf(route: Route): Order {
    const by = COLUMNS.find((each) => each === route.query.get("sort")) ?? "self";
    const way = route.query.get("way");
    return { by, descending: way === null ? HEADINGS[by].number && by !== "id" : way === "down" };
}

interface Given {
    route: Route;
    loops: readonly LoopFacts[];
    least: number;
    marked: number | undefined;
}

/** All counted loops in numbers: those of the chart, and those that have no place in it. */
export function LoopTable({ route, loops, least, marked }: Given) {
    const { by, descending } = orderOf(route);
    const rows = useMemo(() => tableRows(loops, least, { by, descending }), [loops, least, by, descending]);
    const body = useRef<HTMLTableSectionElement>(null);
    const virtual = useVirtualRows({ count: rows.length, rowHeight: ROW_HEIGHT, list: body });
    const sort = (key: ColumnKey) => {
        const down = key === by ? !descending : HEADINGS[key].number && key !== "id";
        changeQuery(route, { sort: key, way: down ? "down" : "up" });
    };
    return (
        <Panel title="Loops in numbers" note={`${counted(rows.length, "counted loop", "counted loops")}. Rates and ceilings are in the unit of each loop's work.`}>
            <TableRegion label="Loops of the roofline">
                <table class="roofline-table" aria-rowcount={rows.length + 1}>
                    <thead>
                        <tr aria-rowindex={1}>
                            <th scope="col"><span class="unseen">Mark in the chart</span></th>
                            {COLUMNS.map((key) => (
                                <th
                                    key={key}
                                    scope="col"
                                    class={HEADINGS[key].number ? "number" : ""}
                                    aria-sort={key === by ? (descending ? "descending" : "ascending") : "none"}
                                >
                                    <button type="button" class="sort" onClick={() => sort(key)}>
                                        {HEADINGS[key].title}
                                        <span aria-hidden="true">{key === by ? (descending ? " ▾" : " ▴") : ""}</span>
                                    </button>
                                </th>
                            ))}
                        </tr>
                    </thead>
                    <tbody ref={body}>
                        {virtual.rows.map(({ index, skipped }) => {
                            const loop = rows[index];
                            return loop === undefined ? null : (
                                <>
                                    {skipped > 0 && <tr key={`gap ${index}`} aria-hidden="true" style={{ height: skipped * ROW_HEIGHT }} />}
                                    <LoopRow
                                        key={loop.id}
                                        loop={loop}
                                        row={index + 2}
                                        marked={loop.id === marked}
                                        onMark={() => changeQuery(route, { loop: loop.id === marked ? undefined : loop.id })}
                                    />
                                </>
                            );
                        })}
                        {virtual.after > 0 && <tr aria-hidden="true" style={{ height: virtual.after * ROW_HEIGHT }} />}
                    </tbody>
                </table>
            </TableRegion>
        </Panel>
    );
}
