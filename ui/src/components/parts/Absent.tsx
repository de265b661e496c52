import type { ComponentChildren } from "preact";
import { Command } from "./Command";

/** What is not known, and the command that would provide it. */
export function Absent({ children, command }: { children: ComponentChildren; command?: string | undefined }) {
    return (
        <div class="absent">
            <p>{children}</p>
            {command !== undefined && <Command text={command} />}
        </div>
    );
}
