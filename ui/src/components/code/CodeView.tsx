import type { ViewProps } from "../App";

export function CodeView({ report }: ViewProps) {
    return <p>{report.state}</p>;
}
