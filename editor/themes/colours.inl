// The colours of the editor: FLOE_COLOUR(name, dark, light), each with what it is for. The style
// sheet (sheet.qss) writes them as @name. Texts keep a contrast of 4.5 to what they stand on.
// clang-format off
FLOE_COLOUR(window, 0x24272c, 0xeef0f3)            ///< bars, titles, panels
FLOE_COLOUR(back, 0x202328, 0xe6e9ed)              ///< what shows between them
FLOE_COLOUR(edge, 0x15171a, 0xc2c7cd)              ///< lines that part them
FLOE_COLOUR(rule, 0x3a3f46, 0xd0d5da)              ///< lines within one
FLOE_COLOUR(base, 0x1c1f23, 0xffffff)              ///< lists
FLOE_COLOUR(baseAlternate, 0x202328, 0xf5f6f8)     ///< every other row of a list
FLOE_COLOUR(grid, 0x26292e, 0xe3e6ea)              ///< lines of a table
FLOE_COLOUR(menu, 0x2a2e34, 0xfafbfc)              ///< menus, what a list unfolds, disabled buttons
FLOE_COLOUR(raised, 0x2c3036, 0xf8f9fb)            ///< chosen tabs, hovered cards
FLOE_COLOUR(button, 0x363b43, 0xdde1e6)            ///< buttons; bars and menus where the pointer is
FLOE_COLOUR(buttonHover, 0x414750, 0xd0d5db)       ///< buttons where the pointer is
FLOE_COLOUR(buttonEdge, 0x181a1e, 0xb4bac2)        ///< around buttons
FLOE_COLOUR(checked, 0x2f4a66, 0xbcd6ef)           ///< tools that are on
FLOE_COLOUR(presets, 0x2b2f35, 0xe3e7eb)           ///< buttons with a menu
FLOE_COLOUR(presetsEdge, 0x3f454d, 0xbcc2ca)       ///< around them
FLOE_COLOUR(combo, 0x343940, 0xf4f5f7)             ///< closed lists where the pointer is
FLOE_COLOUR(field, 0x181a1e, 0xffffff)             ///< where text is typed
FLOE_COLOUR(fieldEdge, 0x101114, 0xb4bac2)         ///< around it
FLOE_COLOUR(text, 0xd6dade, 0x1d2329)              ///< most text
FLOE_COLOUR(strong, 0xe6e8ea, 0x12171c)            ///< text that is looked at first
FLOE_COLOUR(bright, 0xffffff, 0x000000)            ///< text in no doubt
FLOE_COLOUR(title, 0xf0f2f4, 0x0e1318)             ///< of the start page
FLOE_COLOUR(muted, 0x9aa1a9, 0x565f69)             ///< text that matters less
FLOE_COLOUR(faint, 0x6c737b, 0x969da5)             ///< text of what cannot be used, which has no contrast to keep
FLOE_COLOUR(placeholder, 0x80878f, 0x6a727b)       ///< what a field is for
FLOE_COLOUR(highlight, 0x2f4a66, 0x2a659f)         ///< what is chosen
FLOE_COLOUR(highlightIdle, 0x33383e, 0xb9c0c8)     ///< what is chosen in something disabled
FLOE_COLOUR(highlighted, 0xffffff, 0xffffff)       ///< text of what is chosen
FLOE_COLOUR(highlightedMuted, 0xb8cce0, 0xe4eefa)  ///< text of it that matters less
FLOE_COLOUR(selection, 0x35618d, 0x2a659f)         ///< chosen letters
FLOE_COLOUR(link, 0x6cb6ff, 0x1b5e9e)              ///< links
FLOE_COLOUR(visited, 0x9fb4e8, 0x5a4a9e)           ///< links that were followed
FLOE_COLOUR(focus, 0x4d8fcc, 0x2f7cc0)             ///< around what has the focus
FLOE_COLOUR(splitter, 0x3b6a99, 0x6aa3d8)          ///< between panels, under the pointer
FLOE_COLOUR(action, 0x2f5f8f, 0x2a6fb0)            ///< the button that Return presses
FLOE_COLOUR(actionHover, 0x3871a8, 0x23619c)       ///< under the pointer
FLOE_COLOUR(handle, 0x3a4048, 0xbcc2c9)            ///< of scroll bars
FLOE_COLOUR(handleHover, 0x4b525c, 0xa2a9b1)       ///< under the pointer
FLOE_COLOUR(tip, 0x111316, 0xfdfdf4)               ///< tooltips
FLOE_COLOUR(light, 0x3a3f46, 0xffffff)             ///< bevels, from light to dark
FLOE_COLOUR(midlight, 0x30343a, 0xf6f7f9)          ///< bevels
FLOE_COLOUR(mid, 0x1a1c20, 0xc8cdd2)               ///< bevels
FLOE_COLOUR(dark, 0x15171a, 0xa9b0b8)              ///< bevels
FLOE_COLOUR(told, 0x26333f, 0xdcebf8)              ///< ground of a notice that informs
FLOE_COLOUR(warned, 0x40351c, 0xf8edcd)            ///< ground of a notice that warns
FLOE_COLOUR(warnedEdge, 0x9a7f3c, 0xb3964a)        ///< around it
FLOE_COLOUR(failed, 0x432523, 0xf9dedb)            ///< ground of a notice of an error
FLOE_COLOUR(failedEdge, 0xa8524c, 0xc0635b)        ///< around it
FLOE_COLOUR(noticeText, 0xeceef0, 0x1d2329)        ///< text of notices
FLOE_COLOUR(start, 0x1a1c20, 0xf3f4f6)             ///< the start page
FLOE_COLOUR(icon, 0xc9ced4, 0x3d454e)              ///< lines of icons
FLOE_COLOUR(ground, 0x1a1c20, 0xf0f1f3)            ///< the network
FLOE_COLOUR(dots, 0x2d3137, 0xd5d9dd)              ///< its grid
FLOE_COLOUR(map, 0x141619, 0xe2e5e9)               ///< the small map of it
FLOE_COLOUR(mapEdge, 0x3a4048, 0xb4bac2)           ///< around that
FLOE_COLOUR(card, 0x2c3036, 0xffffff)              ///< a node
FLOE_COLOUR(cardEdge, 0x101113, 0xa4abb3)          ///< around it
FLOE_COLOUR(cardHover, 0x707882, 0x707882)         ///< around it, under the pointer
FLOE_COLOUR(subtitle, 0xd3d7db, 0x434b54)          ///< its type, in the header
FLOE_COLOUR(linked, 0xd3d7db, 0x262d34)            ///< sockets that are linked
FLOE_COLOUR(accent, 0x6cb6ff, 0x1b6ec2)            ///< what is chosen in the network
FLOE_COLOUR(canvasFocus, 0x3c5f82, 0x6aa3d8)       ///< around the network that has the focus
FLOE_COLOUR(wireHot, 0xffffff, 0x10161c)           ///< wires under the pointer
FLOE_COLOUR(error, 0xff6b5e, 0xc4281c)             ///< faults
FLOE_COLOUR(errorGround, 0x4a2220, 0xfbe0dd)       ///< behind the message of a fault
FLOE_COLOUR(errorText, 0xffb4ac, 0x8f1d14)         ///< that message
FLOE_COLOUR(refusalEdge, 0x7a342e, 0xc0635b)       ///< around why a wire cannot be
FLOE_COLOUR(refusal, 0x3c201f, 0xfbe0dd)           ///< behind that
FLOE_COLOUR(warning, 0xf2b134, 0x8f5f00)           ///< what one should look at
FLOE_COLOUR(warningGround, 0x463818, 0xfaeecb)     ///< behind the message of a warning
FLOE_COLOUR(warningText, 0xffd98c, 0x6b4700)       ///< that message
FLOE_COLOUR(good, 0x59c28b, 0x18794a)              ///< what is well; what was added
FLOE_COLOUR(note, 0x383528, 0xfdf6d8)              ///< notes in the network
FLOE_COLOUR(noteEdge, 0x5c5538, 0xcdbf86)          ///< around them
FLOE_COLOUR(noteText, 0xe8dfbf, 0x4c431f)          ///< text of notes
FLOE_COLOUR(added, 0x7dd6a6, 0x15693f)             ///< names of what was added
FLOE_COLOUR(changed, 0xf2c45c, 0x7a5200)           ///< names of what differs
FLOE_COLOUR(removed, 0xff9a90, 0xa82a1f)           ///< names of what is gone
FLOE_COLOUR(addedGround, 0x20362b, 0xd9f0e3)       ///< behind a node that comes
FLOE_COLOUR(addedText, 0xbff0d5, 0x12512f)         ///< its name
FLOE_COLOUR(removedGround, 0x3c2424, 0xf9dedb)     ///< behind a node that goes
FLOE_COLOUR(removedText, 0xffc9c3, 0x7d2219)       ///< its name
FLOE_COLOUR(legend, 0x101215, 0xffffff)            ///< behind what marks mean
FLOE_COLOUR(keyed, 0xe69f00, 0x865700)             ///< values with keys
FLOE_COLOUR(formula, 0x2fb38a, 0x11704f)           ///< values that follow an expression, or act live
FLOE_COLOUR(fault, 0xf07058, 0xb3311d)             ///< values that cannot be
// clang-format on
