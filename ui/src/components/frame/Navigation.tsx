import type { Report } from "../../logic/contract";
import { type View, address } from "../../logic/route";
import { offered, viewTitle } from "../../logic/titles";

/** The views. */
export function Navigation({ report, current }: { report: Report; current: View }) {
    return (
        <nav class="views" aria-label="Views">
            <ul>
                {offered(report).map((view) => (
                    <li key={view}>
                        <a href={address(view)} aria-current={view === current ? "page" : undefined}>
                            {viewTitle(view)}
                        </a>
                    </li>
                ))}
            </ul>
        </nav>
    );
}
