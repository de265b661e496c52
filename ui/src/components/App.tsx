/** The frame: what is reported on, navigation, and the view that the address names. */

import type { FunctionComponent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Report } from "../logic/contract";
import type { Route, View } from "../logic/route";
import { heading, windowTitle } from "../logic/titles";
import { CodeView } from "./code/CodeView";
import { CompareView } from "./compare/CompareView";
import { EnergyView } from "./energy/EnergyView";
import { FunctionsView } from "./functions/FunctionsView";
import { Header } from "./frame/Header";
import { Navigation } from "./frame/Navigation";
import { usePlace } from "./frame/usePlace";
import { LoopPage } from "./loop/LoopPage";
import { LoopsView } from "./loops/LoopsView";
import { MessagesView } from "./messages/MessagesView";
import { useRoute } from "./parts/location";
import { ReproduceView } from "./reproduce/ReproduceView";
import { RooflineView } from "./roofline/RooflineView";
import { SummaryView } from "./summary/SummaryView";
import { FlameView } from "./tree/FlameView";
import { TreeView } from "./tree/TreeView";
import { TrialsView } from "./trials/TrialsView";
import { TuningView } from "./tuning/TuningView";

/** What every view is given. */
export interface ViewProps {
    report: Report;
    route: Route;
}

const PAGES: Record<View, FunctionComponent<ViewProps>> = {
    summary: SummaryView,
    loops: LoopsView,
    functions: FunctionsView,
    tree: TreeView,
    flame: FlameView,
    code: CodeView,
    roofline: RooflineView,
    trials: TrialsView,
    tuning: TuningView,
    reproduce: ReproduceView,
    energy: EnergyView,
    messages: MessagesView,
    compare: CompareView,
    loop: LoopPage,
};

export function App({ report }: { report: Report }) {
    const route = useRoute();
    const title = useRef<HTMLHeadingElement>(null);
    const Page = PAGES[route.view];
    const window = windowTitle(report, route);
    useEffect(() => {
        document.title = window;
    }, [window]);
    usePlace(`${route.view}/${route.loop ?? ""}`, title);
    return (
        <>
            <Header report={report} skip={() => title.current?.focus()} />
            <Navigation report={report} current={route.view} />
            <main id="view" class={`view-${route.view}`}>
                <h1 ref={title} tabIndex={-1}>
                    {heading(report, route)}
                </h1>
                <Page report={report} route={route} />
            </main>
            <footer class="colophon">
                {report.tool.name} {report.tool.version}, written {report.generated.slice(0, 10)}
            </footer>
        </>
    );
}
