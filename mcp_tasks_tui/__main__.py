"""``python -m mcp_tasks_tui``."""

from mcp_tasks_tui.cli.main import main

if __name__ == "__main__":
    main()
