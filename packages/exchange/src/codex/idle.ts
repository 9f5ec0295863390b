/** Items of the model's input without content: a snapshot for undoing, tools that were added. */
export const idleItems: ReadonlySet<string> = new Set(['ghost_snapshot', 'additional_tools', 'compaction_trigger']);

/** Events that only concern the screen, or repeat other lines. */
export const idleEvents =
  /^(?:turn_diff|plan_update|plan_delta|warning|stream_error|background_event|session_configured|shutdown_complete|deprecation_notice|context_compacted|entered_review_mode|exited_review_mode|guardian_assessment|undo_started|undo_completed|thread_goal_updated|thread_goal_cleared|dynamic_tool_call_request|hook_started|hook_completed|request_user_input|agent_reasoning_section_break|skills_update_available|model_reroute|item_started|raw_response_item|exec_approval_request|apply_patch_approval_request|elicitation_request|mcp_startup_\w+|realtime_\w+|\w+_begin|\w+_delta)$/;
