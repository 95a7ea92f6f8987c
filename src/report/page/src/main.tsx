import { render } from "preact";
import { NoData, loadReport } from "./data/load";
import { callProcesses } from "./text/process";
import { applyTheme } from "./theme";
import { App } from "./ui/App";
import { Apology } from "./ui/Apology";

applyTheme();
const root = document.getElementById("page")!;
try {
    const report = loadReport();
    callProcesses(report.run.process ?? "rank");
    render(<App report={report} />, root);
} catch (error) {
    const hint = error instanceof NoData ? "" : "This page cannot be shown: ";
    render(<Apology text={hint + (error instanceof Error ? error.message : String(error))} />, root);
}
