/** The instructions of a function: their time, the loops around them, and the lines they came from. */

import type { RefObject } from "preact";
import { useMemo } from "preact/hooks";
import { Heights } from "../../logic/code/heights";
import { highlightInstruction } from "../../logic/code/highlight";
import { addressOf, fileOf, jump, type ListingFacts } from "../../logic/code/listing";
import type { Bracket } from "../../logic/code/margin";
import type { Report } from "../../logic/contract";
import { baseName } from "../../logic/names";
import { address } from "../../logic/route";
import { Pieces } from "../parts/Highlighted";
import { Name } from "../parts/Name";
import { type How, Pane, ROW } from "./Pane";
import { Share } from "./Share";

export interface AssemblyPaneProps {
    report: Report;
    facts: ListingFacts;
    /** Listings by module and first address, where calls lead. */
    entries: ReadonlyMap<string, number>;
    loop: number | undefined;
    instruction: number | undefined;
    /** Instructions of the selected line, and of what is pointed at. */
    linked: readonly number[];
    hovered: readonly number[];
    show: number;
    printing: boolean;
    grid: RefObject<HTMLDivElement>;
    onChoose: (instruction: number, how: How) => void;
    onHover: (instruction: number | undefined) => void;
}

const LARGEST = 400;
const CONTEXT = 40;

function printedRows({ facts, loop, instruction, linked }: AssemblyPaneProps): [number, number] {
    const count = facts.brackets.length;
    const around = facts.brackets.flatMap((here, at) => (here.some((each) => each.loop === loop) ? [at] : []));
    const middle = instruction ?? linked[0] ?? 0;
    const [first, last] = [around[0] ?? middle - CONTEXT, around.at(-1) ?? middle + CONTEXT];
    const from = Math.max(first, 0);
    return [from, Math.min(last + 1, count, from + LARGEST)];
}

function Brackets({ brackets, loop }: { brackets: readonly Bracket[]; loop: number | undefined }) {
    return (
        <span class="code-brackets" role="gridcell">
            {brackets.map((each) => (
                <span key={each.slot} class={`bracket ${each.edge}${each.loop === loop ? " chosen" : ""}`} style={{ left: `${each.slot * 1.4}ch` }} title={`Loop ${each.loop}`} />
            ))}
        </span>
    );
}

function InstructionText({ text, target }: { text: string; target: string | undefined }) {
    const leads = target === undefined ? undefined : jump(text);
    if (leads === undefined) return <Pieces pieces={highlightInstruction(text)} />;
    return (
        <>
            <Pieces pieces={highlightInstruction(leads.before)} />
            <a href={target}>{leads.target}</a>
        </>
    );
}

export function AssemblyPane(props: AssemblyPaneProps) {
    const { report, facts, linked, hovered, loop } = props;
    const { listing } = facts;
    const heights = useMemo(() => new Heights(listing.instructions.length, () => ROW), [listing]);
    const most = useMemo(() => listing.instructions.reduce((all, each) => Math.max(all, each[4]), 0), [listing]);
    const chosen = useMemo(() => new Set(linked), [linked]);
    const pointed = useMemo(() => new Set(hovered), [hovered]);
    const cursor = props.instruction ?? -1;
    const inLoop = useMemo(() => facts.brackets.findIndex((here) => here.some((each) => each.loop === loop)), [facts, loop]);
    const wish = useMemo(() => ({ row: cursor >= 0 ? cursor : inLoop >= 0 ? inLoop : (linked[0] ?? 0), serial: props.show }), [props.show]);
    const total = report.analysis.program.cpu_seconds;
    const share = (seconds: number): number => (total > 0 ? seconds / total : 0);

    /** Where an instruction leads, if that is within what the report shows. */
    const target = (text: string): string | undefined => {
        const leads = jump(text);
        if (leads === undefined) return undefined;
        const at = `0x${leads.address.toString(16)}`;
        if (facts.byAddress.has(leads.address)) return address("code", loop, { function: listing.function, module: listing.module, at });
        const entry = report.listings[props.entries.get(`${listing.module}\0${leads.address}`) ?? -1];
        return entry === undefined ? undefined : address("code", undefined, { function: entry.function, module: entry.module, at });
    };

    return (
        <Pane
            id="code-assembly"
            label={`Instructions of ${listing.function.slice(0, 200)}`}
            class="assembly"
            grid={props.grid}
            heights={heights}
            columns={["Self %", "Address", "Line", "Loops", "Instruction"]}
            columnStyle={{ "--marks-width": `${Math.max(facts.slots * 1.4 + 2, 6)}ch` }}
            cursor={cursor}
            start={linked[0] ?? Math.max(inLoop, 0)}
            wish={wish}
            printed={props.printing ? printedRows(props) : undefined}
            onChoose={props.onChoose}
            onHover={props.onHover}
            row={(at) => {
                const each = listing.instructions[at];
                if (each === undefined) return { class: "", content: null };
                const [place, text, , line, seconds] = each;
                const file = fileOf(listing, each);
                const here = facts.brackets[at] ?? [];
                const header = facts.headers.get(addressOf(place));
                const same = at > 0 && listing.instructions[at - 1]?.[3] === line && listing.instructions[at - 1]?.[2] === each[2];
                const names = [chosen.has(at) ? "linked" : "", pointed.has(at) ? "pointed" : "", here.some((one) => one.loop === loop) ? "in-loop" : ""];
                return {
                    class: names.join(" "),
                    data: { "data-address": place },
                    content: (
                        <>
                            <Share value={share(seconds)} most={share(most)} name="instructions" />
                            <span class="code-number" role="gridcell">
                                {place}
                            </span>
                            <span class={`code-place${same ? " again" : ""}`} role="gridcell">
                                {file !== undefined && line !== null && <Name text={`${baseName(file)}:${line}`} longest={32} />}
                            </span>
                            <Brackets brackets={here} loop={loop} />
                            <span class="code-text" role="gridcell">
                                <InstructionText text={text} target={target(text)} />
                                {header !== undefined && (
                                    <a class="code-header" href={address("loop", header.id)} tabIndex={-1} data-loop={header.id}>
                                        ◂ loop {header.id}
                                    </a>
                                )}
                            </span>
                        </>
                    ),
                };
            }}
        />
    );
}
