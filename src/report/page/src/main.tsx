import { render } from "preact";
import { NoData, loadReport } from "./data/load";
import { applyTheme } from "./theme";
import { App } from "./ui/App";
import { Apology } from "./ui/Apology";

applyTheme();
const root = document.getElementById("page")!;
try {
    render(<App report={loadReport()} />, root);
} catch (error) {
    const hint = error instanceof NoData ? "" : "This page cannot be shown: ";
    render(<Apology text={hint + (error instanceof Error ? error.message : String(error))} />, root);
}
