import type { ViewProps } from "../App";

export function RooflineView({ report }: ViewProps) {
    return <p>{report.state}</p>;
}
