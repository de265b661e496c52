import type { ComponentChildren } from "preact";
import type { LoopFacts } from "../../logic/contract";
import { SECTIONS, type SectionName } from "../../logic/loop-page/sections";
import { Panel } from "../parts/Panel";

export const sectionId = (at: SectionName): string => `loop-${at}`;

/** A part of the page, which the table of contents leads to. */
export function Section({ at, loop, title, how, children }: {
    at: SectionName;
    loop: LoopFacts;
    title?: string;
    /** How its facts were obtained. */
    how?: ComponentChildren;
    children: ComponentChildren;
}) {
    const own = SECTIONS.find((each) => each.at === at)?.title ?? "";
    return (
        <div class="loop-section" id={sectionId(at)} data-section={at} data-loop={loop.id} tabIndex={-1}>
            <Panel title={title ?? own} note={how}>
                {children}
            </Panel>
        </div>
    );
}
