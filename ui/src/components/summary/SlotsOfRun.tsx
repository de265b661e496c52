import type { Report, TopDownFacts } from "../../logic/contract";
import { share } from "../../logic/quantity";
import { slotsCounted, topDownAnswer } from "../../logic/top-down-words";
import { Facts } from "../parts/Facts";
import { Panel } from "../parts/Panel";

/** Where the slots of the pipelines went, where the processor's counters work. */
export function SlotsOfRun({ report }: { report: Report }) {
    const known = report.analysis.top_down;
    if (known === undefined) return null;
    const slots = (key: keyof TopDownFacts, value: number | undefined) =>
        value !== undefined && <span data-key={`top_down.${key}`}>{share(value)}</span>;
    return (
        <Panel title="Slots of the pipelines">
            <Facts
                items={[
                    ["Retiring", slots("retiring", known.retiring)],
                    ["Bad speculation", slots("bad_speculation", known.bad_speculation)],
                    ["Front end", slots("front_end", known.front_end)],
                    ["Back end", slots("back_end", known.back_end)],
                    ["Back end, memory", slots("memory", known.memory)],
                    ["Back end, core", slots("core", known.core)],
                    ["Other thread of the core", slots("other_thread", known.other_thread)],
                    ["Counted", slotsCounted(known).join(", ")],
                    ["Top-down", topDownAnswer(known)],
                ]}
            />
        </Panel>
    );
}
