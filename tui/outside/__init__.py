"""How the operator is told who looks elsewhere: the bell, the terminal's notifications, the desktop's."""
