import jsxA11y from "eslint-plugin-jsx-a11y";
import tseslint from "typescript-eslint";

export default tseslint.config(
    { ignores: ["dist", "node_modules", "test-results", "playwright-report"] },
    ...tseslint.configs.strictTypeChecked,
    jsxA11y.flatConfigs.strict,
    {
        languageOptions: { parserOptions: { projectService: { allowDefaultProject: ["eslint.config.js"] } } },
        rules: {
            // Numbers in templates are formatted on purpose, by the quantities' own functions or as integers.
            "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
            "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
            // Strings from binaries are shown as text; nothing may be put into the page as markup, except by the highlighter, which escapes.
            "no-restricted-syntax": [
                "error",
                { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: "names from binaries would run as markup" },
                { selector: "MemberExpression[property.name=/^(innerHTML|outerHTML|insertAdjacentHTML)$/]", message: "names from binaries would run as markup" },
            ],
        },
    },
    {
        files: ["src/logic/**"],
        rules: {
            "no-restricted-imports": ["error", { patterns: [{ group: ["preact", "preact/*", "**/components/**"], message: "logic computes and knows no framework" }] }],
        },
    },
    { files: ["eslint.config.js"], ...tseslint.configs.disableTypeChecked },
);
