/** The frame: navigation, and the view that the address names. */

import type { FunctionComponent } from "preact";
import type { Report } from "../logic/contract";
import { type Route, type View, address } from "../logic/route";
import { CodeView } from "./code/CodeView";
import { CompareView } from "./compare/CompareView";
import { LoopPage } from "./loop/LoopPage";
import { LoopsView } from "./loops/LoopsView";
import { useRoute } from "./parts/location";
import { RooflineView } from "./roofline/RooflineView";
import { SummaryView } from "./summary/SummaryView";
import { FlameView } from "./tree/FlameView";
import { TreeView } from "./tree/TreeView";

/** What every view is given. */
export interface ViewProps {
    report: Report;
    route: Route;
}

const PAGES: Record<View, { title: string; show: FunctionComponent<ViewProps> }> = {
    summary: { title: "Summary", show: SummaryView },
    loops: { title: "Loops", show: LoopsView },
    tree: { title: "Top-down tree", show: TreeView },
    flame: { title: "Flame graph", show: FlameView },
    code: { title: "Source and assembly", show: CodeView },
    roofline: { title: "Roofline", show: RooflineView },
    compare: { title: "Compare", show: CompareView },
    loop: { title: "Loop", show: LoopPage },
};

export function App({ report }: { report: Report }) {
    const route = useRoute();
    const { show: Page, title } = PAGES[route.view];
    return (
        <>
            <nav aria-label="Views">
                {(Object.keys(PAGES) as View[]).map((view) => (
                    <a key={view} href={address(view)} aria-current={view === route.view ? "page" : undefined}>
                        {PAGES[view].title}
                    </a>
                ))}
            </nav>
            <main id="view">
                <h1>{title}</h1>
                <Page report={report} route={route} />
            </main>
        </>
    );
}
