import { SECTIONS, type SectionName } from "../../logic/loop-page/sections";
import { address } from "../../logic/route";
import { sectionId } from "./Section";

/** Brings a part of the page into view, and the focus with it. */
export function goTo(at: SectionName): void {
    const section = document.getElementById(sectionId(at));
    section?.scrollIntoView();
    section?.focus({ preventScroll: true });
}

/** The parts of the page. The address after `#` is the view, so that the part is in its query. */
export function Contents({ loop, current }: { loop: number; current: SectionName | undefined }) {
    return (
        <nav class="contents" aria-label="Parts of this page">
            <ul>
                {SECTIONS.map(({ at, title }) => (
                    <li key={at}>
                        {/* A click on the part that the address names already changes nothing there, but must lead back to it. */}
                        <a href={address("loop", loop, { at })} aria-current={current === at ? "location" : undefined} onClick={() => goTo(at)}>
                            {title}
                        </a>
                    </li>
                ))}
            </ul>
        </nav>
    );
}
