import type { ViewProps } from "../App";

export function FlameView({ report }: ViewProps) {
    return <p>{report.state}</p>;
}
