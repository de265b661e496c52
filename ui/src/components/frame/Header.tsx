import type { Report } from "../../logic/contract";
import { commandLine, moment } from "../../logic/program";
import { Name } from "../parts/Name";
import { Masthead } from "./Masthead";

/** What is reported on: the program, where and when it ran, and which state of the experiment this is. */
export function Header({ report, skip }: { report: Report; skip: () => void }) {
    const { program, machine } = report.analysis;
    return (
        <Masthead skip={skip}>
            <p class="program" data-key="program.command">
                <Name text={commandLine(program.command)} longest={100} />
            </p>
            <ul class="run">
                {machine !== undefined && (
                    <li data-key="machine.name">
                        <Name text={machine.name} longest={60} />
                    </li>
                )}
                <li data-key="program.started">
                    <time dateTime={program.started}>{moment(program.started)}</time>
                </li>
                <li>
                    on <span data-key="program.host"><Name text={program.host} longest={40} /></span>
                </li>
                <li>
                    state <span data-key="state"><Name text={report.state} longest={40} /></span>
                </li>
            </ul>
        </Masthead>
    );
}
