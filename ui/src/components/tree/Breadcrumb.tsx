import type { Route } from "../../logic/route";
import { type TreeNode, pathTo } from "../../logic/tree/nodes";
import { changeQuery } from "../parts/location";
import { Name } from "../parts/Name";

/** More steps than this and the middle ones are left out. */
const MOST = 8;

/** The way from the program to the box in focus; every step leads back. */
export function Breadcrumb({ route, focus }: { route: Route; focus: TreeNode }) {
    const path = pathTo(focus);
    if (path.length < 2) return null;
    const left = path.length - MOST;
    const steps = left > 0 ? [...path.slice(0, 2), undefined, ...path.slice(2 + left)] : path;
    return (
        <nav aria-label="Way to the box in focus" class="breadcrumb">
            <ol>
                {steps.map((node) => (
                    <li key={node?.index ?? "left"}>
                        {node === undefined ? <span class="dim">… {left} more</span> : (
                            <button
                                type="button"
                                aria-current={node === focus ? "location" : undefined}
                                onClick={() => changeQuery(route, { at: node.parent === undefined ? undefined : node.index })}
                            >
                                <Name text={node.name} longest={32} />
                            </button>
                        )}
                    </li>
                ))}
            </ol>
        </nav>
    );
}
