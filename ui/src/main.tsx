import { render } from "preact";
import { App } from "./components/App";
import { CasebookApp } from "./components/casebook/CasebookApp";
import { Failure } from "./components/Failure";
import { applyScheme, storedScheme } from "./components/frame/scheme";
import { UnreadableDocument, decode } from "./logic/document";
import "./styles/index.css";

applyScheme(storedScheme());
const page = document.getElementById("page");
const data = document.getElementById("document")?.textContent;
if (page !== null) {
    if (data === undefined) {
        render(<Failure text="This is the empty page of loopwright: `loopwright report --html FILE` fills it." />, page);
    } else {
        decode(data).then(
            (found) => render("casebook" in found ? <CasebookApp book={found} /> : <App report={found} />, page),
            (error: unknown) => {
                const text = error instanceof UnreadableDocument ? error.message : `The data in this file cannot be read: ${String(error)}`;
                render(<Failure text={text} />, page);
            },
        );
    }
}
