/** The loops around and within, and the machine loops of the same source loop. */

import type { LoopFacts } from "../../logic/contract";
import type { Nested } from "../../logic/loop-page/neighbours";
import { place } from "../../logic/names";
import { share } from "../../logic/quantity";
import { address } from "../../logic/route";
import { Name } from "../parts/Name";
import { Value } from "./Value";

/** Inner loops that are named at once. */
const CHILDREN = 12;

function NestedLink({ each: { id, loop } }: { each: Nested }) {
    if (loop === undefined) return <>loop {id} (without samples, counts or traces)</>;
    return (
        <a href={address("loop", id)}>
            loop {id} (<Name text={place(loop)} longest={40} />, {share(loop.self_share)})
        </a>
    );
}

export function Nest({ loop, outer, inner }: { loop: LoopFacts; outer: Nested[]; inner: Nested[] }) {
    const children = inner.map((each) => (
        <li key={each.id}>
            around <NestedLink each={each} />
        </li>
    ));
    return (
        <>
            depth <Value at="depth">{loop.depth}</Value>
            {loop.innermost && ", innermost"}
            {(outer.length > 0 || inner.length > 0) && (
                <ul class="plain">
                    {outer.map((each) => (
                        <li key={each.id} data-key={each.id === loop.parent ? "parent" : undefined}>
                            within <NestedLink each={each} />
                        </li>
                    ))}
                    {children.slice(0, CHILDREN)}
                    {children.length > CHILDREN && (
                        <li>
                            <details>
                                <summary>{children.length - CHILDREN} more inner loops</summary>
                                <ul class="plain">{children.slice(CHILDREN)}</ul>
                            </details>
                        </li>
                    )}
                </ul>
            )}
        </>
    );
}

export function Pieces({ pieces, loop }: { pieces: readonly LoopFacts[]; loop: LoopFacts }) {
    const all = pieces.reduce((sum, each) => sum + each.self_seconds, 0);
    return (
        <>
            <ul class="plain">
                {pieces.map((each) => (
                    <li key={each.id} aria-current={each.id === loop.id ? "true" : undefined}>
                        {each.id === loop.id ? <strong>loop {each.id} (this one)</strong> : <a href={address("loop", each.id)}>loop {each.id}</a>} {each.role},{" "}
                        {all > 0 ? `${share(each.self_seconds / all)} of their time` : "no time"}
                    </li>
                ))}
            </ul>
            together <Value at="group_share">{share(loop.group_share)}</Value> of the program's time
        </>
    );
}
