import { answer, bottleneckOf, namesInShort } from "../../logic/bottleneck-words";
import type { Report } from "../../logic/contract";
import type { Column, Fact } from "../../logic/loop-columns";
import type { TreeRow } from "../../logic/loop-table";
import { kindOf } from "../../logic/loop-words";
import { printable } from "../../logic/names";
import { share } from "../../logic/quantity";
import { CauseBar } from "../parts/CauseBar";
import { Prose } from "../parts/Prose";
import { ShareBar } from "../parts/ShareBar";

/** What a column says of a loop, on at most two lines. */
export function GridCell({ report, row, column }: { report: Report; row: TreeRow; column: Column }) {
    const fact = column.fact(row);
    return (
        <div role="gridcell" class={`cell ${column.id} ${column.number === true ? "number" : ""}`} data-label={column.title} data-key={fact?.key}>
            {fact !== undefined && <Content report={report} row={row} column={column} fact={fact} />}
        </div>
    );
}

interface Props {
    report: Report;
    row: TreeRow;
    column: Column;
    fact: Fact;
}

function Content({ report, row, column, fact }: Props) {
    switch (column.id) {
        case "self_share":
            return <ShareBar value={Number(fact.value)} text={fact.text} kind={kindOf(row.loop)} />;
        case "type":
            return <span class={`kind ${kindOf(row.loop)}`}>{fact.text}</span>;
        case "bound_by":
            return <BoundBy row={row} fact={fact} />;
        case "recommendation":
            return <Advised fact={fact} />;
        case "why_not":
            return <WhyNot report={report} row={row} fact={fact} />;
        default: {
            const text = printable(fact.text);
            const title = column.id === "traits" ? traitWords(report, row) : text.length > 20 ? text.slice(0, 2000) : undefined;
            return (
                <span class="lines" title={title}>
                    <span>{text.slice(0, 300)}</span>
                    {fact.detail !== undefined && <span class="dim">{fact.detail}</span>}
                </span>
            );
        }
    }
}

/** The verdict, and below it the first causes as a bar with the share of the very first. */
function BoundBy({ row, fact }: { row: TreeRow; fact: Fact }) {
    const known = row.piece ? row.loop.bottleneck : bottleneckOf(row.group);
    return (
        <span class="lines bound" title={known === undefined ? undefined : answer(known)}>
            <span>{known === undefined ? fact.text : namesInShort(known)}</span>
            {known !== undefined && (
                <span class="bound-share">
                    <CauseBar known={known} />
                    {known.verdict[0] !== undefined && <span class="dim">{share(known.verdict[0].share)}</span>}
                </span>
            )}
        </span>
    );
}

/** The change on two lines, its gain first: the end of a long title is what a reader can do without. */
function Advised({ fact }: { fact: Fact }) {
    const text = printable(fact.text);
    return (
        <span class="lines" title={[text, fact.detail].filter((part) => part !== undefined).join("\n")}>
            <span>
                {fact.detail !== undefined && <span class="dim">{fact.detail}: </span>}
                <Prose text={text} />
            </span>
        </span>
    );
}

/** What each trait costs, where the report says so. */
function traitWords(report: Report, { loop }: TreeRow): string {
    const { words } = report;
    return (loop.traits ?? []).map((name) => (Object.hasOwn(words, `trait:${name}`) ? `${name}: ${words[`trait:${name}`] ?? ""}` : name)).join("\n");
}

/** The reasons' names, and what the first one means. */
function WhyNot({ report, row, fact }: { report: Report; row: TreeRow; fact: Fact }) {
    const first = row.loop.why_not?.[0];
    const title = first === undefined || !Object.hasOwn(report.reasons, first.reason) ? undefined : report.reasons[first.reason]?.title;
    const whole = [fact.text, title, first?.message].filter((part) => part !== undefined).map((part) => printable(part).slice(0, 2000));
    return (
        <span class="lines" title={whole.join("\n")}>
            <span>{fact.text}</span>
            {title !== undefined && <span class="dim">{title}</span>}
        </span>
    );
}
