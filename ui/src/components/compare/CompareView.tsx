import type { ViewProps } from "../App";

export function CompareView({ report }: ViewProps) {
    return <p>{report.state}</p>;
}
