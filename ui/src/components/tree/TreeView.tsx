import type { ViewProps } from "../App";

export function TreeView({ report }: ViewProps) {
    return <p>{report.state}</p>;
}
