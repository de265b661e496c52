import type { ViewProps } from "../App";

export function SummaryView({ report }: ViewProps) {
    return <p>{report.state}</p>;
}
